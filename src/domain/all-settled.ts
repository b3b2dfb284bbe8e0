/**
 * As `Promise.all`, but rejects only when all have settled: what shares a transaction must not go on asking in it after
 * the transaction was given up.
 */
export const allSettled = async <T>(promises: readonly Promise<T>[]): Promise<T[]> => {
  const results = await Promise.allSettled(promises);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
};
