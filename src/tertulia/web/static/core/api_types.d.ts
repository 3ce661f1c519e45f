/** The type of the response to a call: `get(`/messages/${id}`)` has that of "GET /messages/{message_id}".
 * A path that the API's description does not have is a type error, and so is an unknown field of a response. */

import type { components } from "../api_schema.d.ts";

type Responses = components["schemas"]["Answers"];
export type Schemas = components["schemas"];

/** Fields that the description leaves open may hold anything. */
type Open<T> = unknown extends T ? any : T extends object ? { [K in keyof T]: Open<T[K]> } : T;

type Steps<Path extends string> = Path extends `${infer Step}/${infer Rest}` ? [Step, ...Steps<Rest>] : [Path];
type Fits<Path, Template> = Path extends [infer Step, ...infer Rest]
  ? Template extends [infer Name, ...infer Names]
    ? Name extends `{${string}}` ? Fits<Rest, Names> : Step extends Name ? Fits<Rest, Names> : false
    : false
  : Template extends [] ? true : false;
type Matching<Method extends string, Path extends string> = {
  [K in keyof Responses]: K extends `${Method} ${infer Template}` ? (true extends Fits<Steps<Path>, Steps<Template>> ? K : never) : never;
}[keyof Responses];

export type ApiResponse<Method extends string, Path extends string> = string extends Path
  ? Record<string, any>
  : `${Method} ${Path}` extends keyof Responses
    ? Open<Responses[`${Method} ${Path}`]>
    : Open<Responses[Matching<Method, Path>]>;
