/** What a person can do about a refusal, by its code; codes that aren't here explain themselves. */

import type { Candidate } from "../../../client/src/index";

export type Remedy = "showPlaces" | "chooseReading" | "retry" | "structural" | "setApiKey" | "startServer" | "openSettings";

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
  chooseReading: "Choose a Reading",
  retry: "Try Again",
  structural: "Try Without a Model",
  setApiKey: "Set API Key",
  startServer: "Start Server",
  openSettings: "Open Settings",
};

/** What to offer, best first. */
export function remediesFor(code: string, candidates: readonly Candidate[]): readonly Remedy[] {
  const others = (REMEDIES[code] ?? []).filter((remedy) => remedy !== "showPlaces");
  if (candidates.length === 0) {
    return others;
  }
  return [candidates.some(({ choice }) => choice > 0) ? "chooseReading" : "showPlaces", ...others];
}
