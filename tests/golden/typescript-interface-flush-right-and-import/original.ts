import { readFile } from "node:fs/promises";
import { join } from "node:path";

export interface Stop {
  id: string;
  name: string;
  lat: number;
  lon: number;
}

export class Timetable {
  private readonly stops = new Map<string, Stop>();
  private readonly departures: number[] = [];

  constructor(private readonly root: string) {}

  async load(): Promise<void> {
    const text = await readFile(join(this.root, "stops.json"), "utf8");
    for (const stop of JSON.parse(text) as Stop[]) {
      this.stops.set(stop.id, stop);
    }
  }

  find(id: string): Stop | undefined {
    return this.stops.get(id);
  }

  next(after: number): number | undefined {
    return this.departures.find((departure) => departure > after);
  }

  previous(before: number): number | undefined {
    return this.departures.findLast((departure) => departure < before);
  }
}

export function minutes(text: string): number {
  const [hours, rest] = text.split(":");
  return Number(hours) * 60 + Number(rest);
}
