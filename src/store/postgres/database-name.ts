/** How a database is called in logs and sentences: its URL without password and parameters. */
export const databaseName = (url: string): string => {
  const { protocol, username, host, pathname } = new URL(url);
  return `${protocol}//${username}${username && '@'}${host}${pathname}`;
};
