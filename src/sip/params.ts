import { quote } from './grammar.ts';

/** Parameters `;name=value` in order. Names are lower case; a value is as on the wire, a bare name has null. */
export type Params = readonly Param[];
export type Param = readonly [name: string, value: string | null];

const PLAIN_VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3d\x3f-\x7e]*$/;
const QUOTED_VALUE = /^"(?:[^"\\]|\\.)*"$/s;

export const findParam = (params: Params, name: string): string | null | undefined =>
  params.find(([known]) => known === name)?.[1];

/** The same parameters with one of them set: in place if it is there, else at the end. */
export const setParam = (params: Params, name: string, value: string | null): Params =>
  params.some(([known]) => known === name)
    ? params.map((param) => (param[0] === name ? [name, value] : param))
    : [...params, [name, value]];

/** One parameter from its semicolon to the next, white space around its parts allowed. */
const PARAM =
  /;\s*([A-Za-z0-9\-.!%*_+`'~]+)\s*(?:=\s*("(?:[^"\\]|\\.)*"|[\x21\x23-\x2b\x2d-\x3a\x3d\x3f-\x7e]*)\s*)?/sy;

/** Reads `;a=1;b` (empty text: none). Null if it is malformed. */
export const parseParams = (text: string): Params | null => {
  const trimmed = text.trim();
  const params: Param[] = [];
  PARAM.lastIndex = 0;
  for (let end = 0; end < trimmed.length; end = PARAM.lastIndex) {
    const match = PARAM.exec(trimmed);
    if (!match) return null;
    params.push([(match[1] as string).toLowerCase(), match[2] ?? null]);
  }
  return params;
};

const serializeParam = ([name, value]: Param): string => {
  const safeName = name.replace(/[^A-Za-z0-9\-.!%*_+`'~]/g, '-');
  if (value === null) return `;${safeName}`;
  return `;${safeName}=${PLAIN_VALUE.test(value) || isSafelyQuoted(value) ? value : quote(value)}`;
};

const isSafelyQuoted = (value: string): boolean => QUOTED_VALUE.test(value) && !/[\r\n]/.test(value);

/** Writes parameters; a value that fits neither token nor quoted-string is quoted, so that it cannot leave its place. */
export const serializeParams = (params: Params): string => {
  let text = '';
  for (const param of params) text += serializeParam(param);
  return text;
};
