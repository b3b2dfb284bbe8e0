import { type TProperties, type TSchema, Type } from 'typebox';

/** An object that takes these members and no others, so that a misspelt one is told. */
export const strictObject = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });

/** A member that may be left out or null, as it is read back. */
export const optional = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));

/** Members that answers hold and requests may repeat, so that what was read can be sent back; they have no effect. */
export const readOnly = Type.Optional(Type.Unknown());

/** What is done to the sound of a media's clips; what is left out stays as it is by default. */
export const ProcessingInput = optional(
  strictObject({
    level: Type.Optional(Type.Boolean()),
    trim: Type.Optional(Type.Boolean()),
    telephoneBand: Type.Optional(Type.Boolean()),
  }),
);

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** One of a few strings. */
export const oneOf = <const T extends readonly string[]>(values: T) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values });
