export interface RetryOptions {
  /** How often to try in all, the first time included. */
  attempts: number;
  /** Wait before the second try, in milliseconds. It doubles each time. */
  delayMs: number;
  /** Which errors are worth another try. */
  retryIf?: (error: unknown) => boolean;
  /** Ends the tries as soon as it is aborted. */
  signal?: AbortSignal;
}

const DEFAULTS: RetryOptions = {
  attempts: 3,
  delayMs: 200,
};

export class RetryError extends Error {
  constructor(
    readonly attempts: number,
    readonly last: unknown,
  ) {
    super(`gave up after ${attempts} attempts`);
    this.name = "RetryError";
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Calls `action` until it succeeds, and gives its result. */
export async function retry<T>(
  action: () => Promise<T>,
  options: Partial<RetryOptions> = {},
): Promise<T> {
  const { attempts, delayMs, retryIf, signal } = { ...DEFAULTS, ...options };
  let last: unknown;

  for (let attempt = 1; attempt <= attempts; attempt++) {
    signal?.throwIfAborted();
    try {
      return await action();
    } catch (error) {
      last = error;
      if (retryIf && !retryIf(error)) {
        throw error;
      }
      if (attempt < attempts) {
        await sleep(delayMs * 2 ** (attempt - 1));
      }
    }
  }

  throw new RetryError(attempts, last);
}

/** The same as `retry`, for functions that take arguments. */
export function retrying<A extends unknown[], T>(
  action: (...args: A) => Promise<T>,
  options: Partial<RetryOptions> = {},
): (...args: A) => Promise<T> {
  return (...args: A) => retry(() => action(...args), options);
}
