import { expect, test } from 'vitest';
import { ownNames } from './own-names.ts';

const CHECKOUT = '/home/u/ringcast/src/ringcast.ts';
const INSTALLED = '/usr/lib/node_modules/ringcast/dist/ringcast.js';

test('in a checkout, with the usual data, the documented commands', () => {
  const names = ownNames({
    executable: CHECKOUT,
    workingDirectory: '/home/u/ringcast',
    dataDirectory: '/home/u/ringcast/data',
  });
  expect(names).toEqual({ ringcast: './ringcast', serve: 'npm start' });
});

test('elsewhere, the path to the checkout', () => {
  const names = ownNames({ executable: CHECKOUT, workingDirectory: '/home/u/x y', dataDirectory: '/home/u/x y/data' });
  expect(names).toEqual({ ringcast: '../ringcast/ringcast', serve: '../ringcast/ringcast serve' });
});

test('other data is named', () => {
  const names = ownNames({
    executable: CHECKOUT,
    workingDirectory: '/home/u/ringcast',
    dataDirectory: '/home/u/my data',
  });
  expect(names.serve).toBe("./ringcast serve --data-dir '../my data'");
});

test('installed, the command by its name', () => {
  const names = ownNames({ executable: INSTALLED, workingDirectory: '/home/u', dataDirectory: '/home/u/data' });
  expect(names).toEqual({ ringcast: 'ringcast', serve: 'ringcast serve' });
});
