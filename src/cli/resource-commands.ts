import type { Command } from 'commander';
import type { Api } from './api-client.ts';
import type { Listing } from './api-shapes.ts';
import { operatorApi, type ServerOptions } from './connection.ts';
import { type Paging, pagingQuery, segment, withOperator, withPaging } from './options.ts';
import { type Output, type PrintOptions, printDone, printLines, printListing, printRecord } from './output.ts';
import type { Column } from './table.ts';

export type OperatorOptions = ServerOptions & PrintOptions;

/** A kind of thing that the operator API keeps. */
export interface Resource<T> {
  readonly path: string;
  readonly noun: string;
  readonly plural: string;
  readonly columns: readonly Column<T>[];
  /** Lines that `show` adds for people, read from below the thing's path. */
  readonly more?: (api: Api, path: string, item: T) => Promise<readonly string[]>;
}

/** The path of one thing of a kind. */
export const pathOf = (resource: { readonly path: string }, id: string): string => `${resource.path}/${segment(id)}`;

/** Adds `list`, `show` and `delete`, which are alike for every kind. */
export const addResourceCommands = <T>(parent: Command, output: Output, resource: Resource<T>): void => {
  const { path, noun, plural, columns } = resource;
  withPaging(withOperator(parent.command('list').description(`list ${plural}, newest first`))).action(
    async (options: OperatorOptions & Paging) => {
      const api = await operatorApi(options);
      const reply = await api.request<Listing<T>>({ method: 'GET', path: path + pagingQuery(options) });
      printListing(output, options, reply, columns);
    },
  );
  withOperator(parent.command('show <id>').description(`show one ${noun}`)).action(
    async (id: string, options: OperatorOptions) => {
      const api = await operatorApi(options);
      const path = pathOf(resource, id);
      const reply = await api.request<T>({ method: 'GET', path });
      printRecord(output, options, reply, columns);
      if (resource.more && !options.json) printLines(output, await resource.more(api, path, reply.value));
    },
  );
  withOperator(parent.command('delete <id>').description(`delete one ${noun}`)).action(
    async (id: string, options: OperatorOptions) => {
      const reply = await (await operatorApi(options)).request({ method: 'DELETE', path: pathOf(resource, id) });
      printDone(output, options, reply, `${noun} ${id} deleted`);
    },
  );
};

/** Creates by POST and prints what was made. */
export const createResource = async <T>(
  output: Output,
  options: OperatorOptions,
  resource: Resource<T>,
  json: object,
): Promise<void> => {
  const api = await operatorApi(options);
  printRecord(output, options, await api.request<T>({ method: 'POST', path: resource.path, json }), resource.columns);
};

/** Reads one thing and writes it back with what `changes` makes of it: a PUT replaces the whole. */
export const updateResource = async <T extends object>(
  output: Output,
  options: OperatorOptions,
  resource: Resource<T>,
  id: string,
  changes: (before: T) => object,
): Promise<void> => {
  const api = await operatorApi(options);
  const path = pathOf(resource, id);
  const before = (await api.request<T>({ method: 'GET', path })).value;
  const reply = await api.request<T>({ method: 'PUT', path, json: { ...before, ...changes(before) } });
  printRecord(output, options, reply, resource.columns);
};

/** Adds `associate` and `dissociate` with an application. */
export const addAssociationCommands = (
  parent: Command,
  output: Output,
  resource: { readonly path: string; readonly noun: string },
): void => {
  const add = (name: string, method: string, done: string): void => {
    const description = `${name} a ${resource.noun} ${name === 'associate' ? 'with' : 'from'} an application`;
    withOperator(parent.command(`${name} <id> <application-id>`).description(description)).action(
      async (id: string, applicationId: string, options: OperatorOptions) => {
        const path = `${pathOf(resource, id)}/applications/${segment(applicationId)}`;
        const reply = await (await operatorApi(options)).request({ method, path });
        printDone(output, options, reply, `${resource.noun} ${id} ${done} application ${applicationId}`);
      },
    );
  };
  add('associate', 'PUT', 'associated with');
  add('dissociate', 'DELETE', 'dissociated from');
};
