import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../domain/app-error.ts';
import { isFormType, readForm } from './form.ts';

const octets = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const fields = (text: string): Record<string, string> => Object.fromEntries(readForm(octets(text)));

describe('readForm', () => {
  it('A2 reads names and values, plus signs and escapes as UTF-8', () => {
    expect(fields('a=1&b+c=d%20e%2B&f=%C3%A9&g&h=&=i&j=k=l')).toEqual({
      a: '1',
      'b c': 'd e+',
      f: 'é',
      g: '',
      h: '',
      '': 'i',
      j: 'k=l',
    });
  });

  it('A2 reads raw UTF-8 as well, and skips empty pairs', () => {
    expect(Object.fromEntries(readForm(Buffer.from('&a=é&&')))).toEqual({ a: 'é' });
  });

  it.each([
    ['a truncated escape', 'a=%'],
    ['an escape that is no hex', 'a=%G1'],
    ['an escape in a name', '%zz=1'],
    ['invalid UTF-8 in escapes', 'a=%FF'],
    ['an overlong form', 'a=%C0%80'],
    ['a surrogate', 'a=%ED%A0%80'],
    ['raw invalid UTF-8', 'a=\xff'],
    ['an escaped NUL', 'a=b%00c'],
    ['a raw NUL', 'a=b\0c'],
    ['a NUL in a name', 'a%00=c'],
    ['the same field twice', 'a=1&b=2&a=1'],
    ['the same field twice, once escaped', 'a=1&%61=1'],
    ['an unknown field twice', 'x&x'],
  ])('A2 refuses %s', (_, text) => {
    expect(() => fields(text)).toThrow(AppError);
  });

  it('A2 reads back whatever URLSearchParams writes', () => {
    const text = fc.string({ unit: 'grapheme' }).filter((value) => value.isWellFormed() && !value.includes('\0'));
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(text, text), { selector: ([name]) => name }), (pairs) => {
        const body = Buffer.from(new URLSearchParams(pairs).toString());
        expect([...readForm(body)]).toEqual(pairs);
      }),
    );
  });

  it('A2 takes any octets without any error but its own', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (body) => {
        try {
          readForm(body);
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
        }
      }),
    );
  });
});

describe('isFormType', () => {
  it.each([
    'application/x-www-form-urlencoded',
    'Application/X-WWW-Form-URLencoded',
    'application/x-www-form-urlencoded; charset=UTF-8',
    'application/x-www-form-urlencoded ;charset="utf-8"; x=y',
  ])('A2 takes %s', (type) => {
    expect(isFormType(type)).toBe(true);
  });

  it.each([
    undefined,
    '',
    'application/json',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded; charset=iso-8859-1',
    'application/x-www-form-urlencoded-2',
  ])('A2 refuses %s', (type) => {
    expect(isFormType(type)).toBe(false);
  });
});
