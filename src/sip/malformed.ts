/** Thrown and caught inside the parser only: it carries the sentence of the result, which quotes nothing received. */
export class Malformed extends Error {}

export const malformed = (problem: string): never => {
  throw new Malformed(problem);
};
