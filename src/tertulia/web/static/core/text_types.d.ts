/** The types of `t`: a text by its key, with a value for each `{…}` field. `scripts/text_types.py` writes
 * `TextFields` of the catalogue, the fields of each key; before it has run, any key is accepted. */

declare global {
  interface TextFields {}

  /** The key of a text without fields. */
  type PlainTextKey = IsUnwritten extends true ? string : { [K in Key]: [TextFields[K]] extends [never] ? K : never }[Key];
}

type Key = keyof TextFields;
type IsUnwritten = [Key] extends [never] ? true : false;

/** A key of the catalogue, or one with a computed part that may become a key of the catalogue. */
export type CheckedKey<K extends string> = IsUnwritten extends true ? string
  : string extends K ? never
  : K extends Key ? K
  : {} extends Record<K, 1> ? ([Extract<Key, K>] extends [never] ? never : K)
  : never;

/** The values of a text. Texts with a computed key may lack some of the fields. */
export type TextValues<K extends string, V = string | number> = IsUnwritten extends true ? [values?: Record<string, V>]
  : [FieldsOf<K>] extends [never] ? [values?: ValuesOf<K, V>]
  : [values: ValuesOf<K, V>];
type ValuesOf<K extends string, V> = Record<FieldsOf<K>, V> & Partial<Record<MaybeFieldsOf<K>, V>>;
type FieldsOf<K extends string> = K extends Key ? TextFields[K] : never;
type MaybeFieldsOf<K extends string> = K extends Key ? never : TextFields[Extract<Key, K>];
