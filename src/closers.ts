/** Things to close, last opened first. One that fails to close does not keep the others open. */
export interface Closers {
  add(name: string, close: () => Promise<void> | void): void;
  closeAll(onError: (name: string, error: unknown) => void): Promise<void>;
}

export const createClosers = (): Closers => {
  const stack: { name: string; close: () => Promise<void> | void }[] = [];
  return {
    add: (name, close) => void stack.push({ name, close }),
    async closeAll(onError) {
      for (let top = stack.pop(); top; top = stack.pop()) {
        const { name, close } = top;
        await Promise.resolve()
          .then(close)
          .catch((error: unknown) => onError(name, error));
      }
    },
  };
};
