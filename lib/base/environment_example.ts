/**
 * The text of `.env.example`, made of what the parts declare.
 * @module
 */
import type { Settings } from "../setting.ts";

/** The settings of one part, under the title they get in `.env.example`. */
export interface SettingsGroup {
  readonly title: string;
  readonly settings: Settings;
  /** The setting without which the part is not used. */
  readonly onlyWith?: string;
}

/** The text of `.env.example`: every variable once, with its purpose and its default or a sample. */
export function environmentExample(groups: readonly SettingsGroup[]): string {
  const seen = new Set<string>();
  const always = groups.filter(({ onlyWith }) => onlyWith === undefined);
  const switched = groups.filter(({ onlyWith }) => onlyWith !== undefined);
  const sections = [...always, ...switched].flatMap(({ title, settings, onlyWith }) => {
    const fresh = Object.entries(settings).filter(([name]) => !seen.has(name));
    if (fresh.length === 0) return [];
    fresh.forEach(([name]) => seen.add(name));
    const mark = onlyWith === undefined ? "" : "#";
    const entries = fresh.map(([name, { about, example }]) =>
      `# ${about}\n${mark}${name}=${example}\n`
    );
    const heading = onlyWith === undefined ? title : `${title}, only with ${onlyWith}`;
    return [`# --- ${heading} ---\n`, ...entries].join("\n");
  });
  return sections.join("\n");
}
