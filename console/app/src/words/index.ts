import { useCallback, useSyncExternalStore } from "react";

/** The languages of the console. */
export const languages = ["en", "zh-CN", "zh-TW"] as const;
export type Language = (typeof languages)[number];

/** The name of each language, in that language. */
export const languageNames: Record<Language, string> = { en: "English", "zh-CN": "简体中文", "zh-TW": "繁體中文" };

const storageKey = "orth.language";

/** Picks the language from a list of browser languages. */
export function languageOf(wishes: readonly string[]): Language {
  for (const wish of wishes) {
    const low = wish.toLowerCase();
    if (/^zh\b.*(hant|tw|hk|mo)/.test(low)) return "zh-TW";
    if (low.startsWith("zh")) return "zh-CN";
    if (low.startsWith("en")) return "en";
  }
  return "en";
}

function initialLanguage(): Language {
  try {
    const own = localStorage.getItem(storageKey);
    if (languages.includes(own as Language)) return own as Language;
  } catch {
    // Without storage the languages of the browser apply.
  }
  return languageOf(typeof navigator === "undefined" ? [] : (navigator.languages ?? []));
}

// The current language and its listeners.
const current = { language: initialLanguage() };
const listeners = new Set<() => void>();

/** The current language, for Intl and outside of components. */
export function language(): Language {
  return current.language;
}

/** Changes the language of the console and stores it in this browser. */
export function setLanguage(next: Language): void {
  current.language = next;
  try {
    localStorage.setItem(storageKey, next);
  } catch {
    // The choice is lost when the page closes.
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

/** A key without the plural suffix: `n_one` and `n_other` are looked up as `n`. */
export type Key<K extends string> = K extends `${infer Stem}_one` | `${infer Stem}_other` ? Stem : K;

/** Values of placeholders. Format numbers before passing them: they are inserted unchanged. */
export type Values = Readonly<Record<string, string | number>>;

/** Returns the text of a key. `{{name}}` is replaced from values; `count` selects the plural form. */
export type Translate<K extends string> = (key: Key<K>, values?: Values) => string;

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

/** The text of a key in a language, or the key itself if there is none. */
export function textIn<K extends string>(of: Words<K>, language: Language, key: Key<K>, values: Values = {}): string {
  const all: Readonly<Record<string, Triple | undefined>> = of.entries;
  const { count } = values;
  const many = typeof count === "number" ? all[`${key}_${pluralOf(count, language)}`] : undefined;
  const triple = many ?? all[key] ?? all[`${key}_other`];
  const text = triple?.[languages.indexOf(language) as 0 | 1 | 2] ?? triple?.[0] ?? key;
  return text.replace(/\{\{(\w+)\}\}/g, (mark, name: string) => String(values[name] ?? mark));
}

/** Returns the translator of an area for the language of the user. */
export function useWords<K extends string>(of: Words<K>): Translate<K> {
  const now = useSyncExternalStore(subscribe, language, language);
  return useCallback((key, values) => textIn(of, now, key, values), [of, now]);
}

/** Translates outside of components. It does not follow a change of language. */
export function translate<K extends string>(of: Words<K>, key: Key<K>, values?: Values): string {
  return textIn(of, language(), key, values);
}

/** The current language and its setter. */
export function useLanguage(): [Language, (language: Language) => void] {
  return [useSyncExternalStore(subscribe, language, language), setLanguage];
}
