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

/** An event, of which nothing else is known yet. */
export type ServerEvent = { id: number; type: string };

type FieldsOf<Kinds> = Kinds extends unknown ? keyof Kinds : never;
/** Fields that only other kinds have are undefined. */
type EachOf<Kinds, Field extends PropertyKey = FieldsOf<Kinds>> = Kinds extends unknown ? Kinds & { [K in Exclude<Field, keyof Kinds>]?: undefined } : never;

/** The events by type; several kinds of one type differ by `op`. */
export type ServerEvents = { [Type in Schemas["Event"]["type"]]: EachOf<Open<Extract<Schemas["Event"], { type: Type }>>> };

/** A move of messages, which only channels know. */
export type MoveEvent = ServerEvents["update_message"] & { stream_id: number };
