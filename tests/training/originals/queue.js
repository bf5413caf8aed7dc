import { EventEmitter } from 'node:events';
import { readFile } from 'node:fs/promises';

const DEFAULTS = {
  retries: 3,
  delay: 250,
  concurrency: 2,
};

/**
 * A queue that runs a few jobs at once.
 */
export class Queue extends EventEmitter {
  constructor(options = {}) {
    super();
    this.options = { ...DEFAULTS, ...options };
    this.waiting = [];
    this.running = 0;
  }

  add(job) {
    if (typeof job !== 'function') {
      throw new TypeError('a job has to be a function');
    }
    this.waiting.push(job);
    this.emit('added', this.waiting.length);
    this.next();
  }

  next() {
    while (this.running < this.options.concurrency && this.waiting.length > 0) {
      const job = this.waiting.shift();
      this.running += 1;
      this.run(job);
    }
  }

  async run(job) {
    for (let attempt = 0; attempt < this.options.retries; attempt += 1) {
      try {
        const result = await job(attempt);
        this.emit('done', result);
        break;
      } catch (error) {
        this.emit('failed', error, attempt);
      }
    }
    this.running -= 1;
    this.next();
  }

  clear() {
    this.waiting.length = 0;
  }
}

export async function fromFile(path) {
  const text = await readFile(path, 'utf8');
  const queue = new Queue(JSON.parse(text));
  return queue;
}
