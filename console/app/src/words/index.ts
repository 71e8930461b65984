import { useCallback, useSyncExternalStore } from "react";

/** The languages of the console. */
export const languages = ["en", "zh-CN", "zh-TW"] as const;
export type Language = (typeof languages)[number];

/** What a language calls itself. */
export const languageNames: Record<Language, string> = { en: "English", "zh-CN": "简体中文", "zh-TW": "繁體中文" };

const kept = "orth.language";

/** The language of a list of wishes, as browsers give them. */
export function languageOf(wishes: readonly string[]): Language {
  for (const wish of wishes) {
    const low = wish.toLowerCase();
    if (/^zh\b.*(hant|tw|hk|mo)/.test(low)) return "zh-TW";
    if (low.startsWith("zh")) return "zh-CN";
    if (low.startsWith("en")) return "en";
  }
  return "en";
}

function wished(): Language {
  try {
    const own = localStorage.getItem(kept);
    if (languages.includes(own as Language)) return own as Language;
  } catch {
    // A browser that keeps nothing tells its own languages.
  }
  return languageOf(typeof navigator === "undefined" ? [] : (navigator.languages ?? []));
}

// The language in use, and who shows words in it.
const inUse = { language: wished() };
const listeners = new Set<() => void>();

/** The language in use, for Intl and outside of components. */
export function language(): Language {
  return inUse.language;
}

/** Changes the language of the whole console, and keeps it in this browser. */
export function setLanguage(next: Language): void {
  inUse.language = next;
  try {
    localStorage.setItem(kept, next);
  } catch {
    // It lasts as long as the page.
  }
  if (typeof document !== "undefined") document.documentElement.lang = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** English, 简体, 繁體. */
export type Triple = readonly [en: string, hans: string, hant: string];

/** Words of one area of the console. */
export type Words<K extends string> = { readonly ns: string; readonly entries: Readonly<Record<K, Triple>> };

/** A key without the ending that tells one from many: `n_one` and `n_other` are asked for as `n`. */
export type Key<K extends string> = K extends `${infer Stem}_one` | `${infer Stem}_other` ? Stem : K;

/** What fills a word: numbers stand as the language writes them only when they are given as texts. */
export type Values = Readonly<Record<string, string | number>>;

/** Returns the word of a key. `{{name}}` in a word is filled from values; `count` picks one or many. */
export type Say<K extends string> = (key: Key<K>, values?: Values) => string;

/**
 * Words of an area: for each key the triple of English, 简体中文 and 繁體中文. `ns` names the area. Chinese has
 * no plural: of `n_one` and `n_other` it uses the latter.
 */
export function words<K extends string>(ns: string, entries: Record<K, Triple>): Words<K> {
  return { ns, entries };
}

const plurals = new Map<Language, Intl.PluralRules>();

function pluralOf(count: number, of: Language): string {
  const rules = plurals.get(of) ?? new Intl.PluralRules(of);
  plurals.set(of, rules);
  return rules.select(count);
}

/** The word of a key in a language; the key itself when there is none. */
export function wordIn<K extends string>(of: Words<K>, language: Language, key: Key<K>, values: Values = {}): string {
  const all: Readonly<Record<string, Triple | undefined>> = of.entries;
  const { count } = values;
  const many = typeof count === "number" ? all[`${key}_${pluralOf(count, language)}`] : undefined;
  const triple = many ?? all[key] ?? all[`${key}_other`];
  const text = triple?.[languages.indexOf(language) as 0 | 1 | 2] ?? triple?.[0] ?? key;
  return text.replace(/\{\{(\w+)\}\}/g, (mark, name: string) => String(values[name] ?? mark));
}

/** Returns what says the words of an area in the language of the user. */
export function useWords<K extends string>(of: Words<K>): Say<K> {
  const now = useSyncExternalStore(subscribe, language, language);
  return useCallback((key, values) => wordIn(of, now, key, values), [of, now]);
}

/** The same outside of components. It does not follow a change of language. */
export function say<K extends string>(of: Words<K>, key: Key<K>, values?: Values): string {
  return wordIn(of, language(), key, values);
}

/** The language in use, and what changes it. */
export function useLanguage(): [Language, (language: Language) => void] {
  return [useSyncExternalStore(subscribe, language, language), setLanguage];
}
