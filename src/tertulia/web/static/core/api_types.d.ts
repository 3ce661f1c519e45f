/** Which answer belongs to a call: `get(`/messages/${id}`)` is that of "GET /messages/{message_id}".
 * A path that the description does not have is a mistake, and so is a field of its answer. */

import type { components } from "../api_schema.d.ts";

type Described = components["schemas"]["Answers"];
export type Schemas = components["schemas"];

/** What the description leaves open is open here. */
type Open<T> = unknown extends T ? any : T extends object ? { [K in keyof T]: Open<T[K]> } : T;

type Steps<Path extends string> = Path extends `${infer Step}/${infer Rest}` ? [Step, ...Steps<Rest>] : [Path];
type Fits<Taken, Named> = Taken extends [infer Step, ...infer Rest]
  ? Named extends [infer Name, ...infer Names]
    ? Name extends `{${string}}` ? Fits<Rest, Names> : Step extends Name ? Fits<Rest, Names> : false
    : false
  : Named extends [] ? true : false;
type Fitting<Method extends string, Path extends string> = {
  [K in keyof Described]: K extends `${Method} ${infer Named}` ? (true extends Fits<Steps<Path>, Steps<Named>> ? K : never) : never;
}[keyof Described];

export type Answer<Method extends string, Path extends string> = string extends Path
  ? Record<string, any>
  : `${Method} ${Path}` extends keyof Described
    ? Open<Described[`${Method} ${Path}`]>
    : Open<Described[Fitting<Method, Path>]>;
