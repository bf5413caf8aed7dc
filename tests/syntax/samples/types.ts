import type { A } from './a';
import fs = require('fs');

export interface User<T> extends Base {
  id: number;
  name(first: string): string;
}

export type Id = string | number;
type Shape = {
  kind: 'a';
};

declare module 'x' {
  export function f(a: number): void;
}

export enum Color {
  Red = 1,
  Green,
}

namespace Deep.Space {
  export const x = 1;
  export function go(): void {}
}

@Component({
  selector: 'app',
})
export class App<T> extends Base implements OnInit {
  private readonly items: string[] = [];
  @Input() name!: string;

  constructor(
    private http: Http,
    public store: Store,
  ) {
    super();
  }

  // Doc
  @HostListener('click')
  @Other()
  async onClick<T extends string>(event: Event): Promise<void> {
    const x = 1;
  }

  get value(): string { return ''; }
  abstract size(): number;
  handle = async (e: Event): Promise<void> => {
    go();
  };
}

export abstract class Half {
  abstract f(): void;
}

export function over(a: string): string;
export function over(a: number): number;
export function over(a: any): any {
  return a;
}

export const selectUser = createSelector([a, b], (x, y) => {
  return x;
});
export default class extends Base {
  run() {}
}
