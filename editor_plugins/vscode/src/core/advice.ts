/** What a person can do about a refusal, by its code; codes that aren't here explain themselves. */

export type Remedy = "showPlaces" | "retry" | "structural" | "setApiKey" | "startServer" | "openSettings";

const REMEDIES: Readonly<Record<string, readonly Remedy[]>> = {
  ANCHOR_NOT_FOUND: ["showPlaces"],
  ANCHOR_AMBIGUOUS: ["showPlaces"],
  CONTENT_CONFLICT: ["retry"],
  OVERLOADED: ["retry"],
  RATE_LIMITED: ["retry"],
  TIMEOUT: ["retry", "structural"],
  TARGET_UNAVAILABLE: ["structural"],
  UNAUTHORIZED: ["setApiKey"],
  UNREACHABLE: ["startServer", "retry", "openSettings"],
  BAD_ANSWER: ["openSettings"],
};

export const LABELS: Readonly<Record<Remedy, string>> = {
  showPlaces: "Show Places",
  retry: "Try Again",
  structural: "Try Without a Model",
  setApiKey: "Set API Key",
  startServer: "Start Server",
  openSettings: "Open Settings",
};

/** What to offer, best first. */
export function remediesFor(code: string, hasCandidates: boolean): readonly Remedy[] {
  const remedies = REMEDIES[code] ?? [];
  const places: readonly Remedy[] = hasCandidates && !remedies.includes("showPlaces") ? ["showPlaces"] : [];
  return [...places, ...remedies].filter((remedy) => remedy !== "showPlaces" || hasCandidates);
}
