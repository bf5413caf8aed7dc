#!/usr/bin/env node
import a, { b } from './a';
const fs = require('fs');

const LIMIT = 10;
export const OPTIONS = {
  debug: true,
};

/**
 * Adds.
 */
export function add(x, y) {
  const sum = x + y;
  return sum;
}

export default async function main() {}

const mul = (x, y) => x * y;
export const div = async (
  x,
  y,
) => {
  const local = () => {
    return 1;
  };
  return x / y;
};

class Shop extends Base {
  static #count = 0;
  state = {
    open: true,
  };

  constructor(name) {
    super(name);
  }

  // click
  handleClick = (event) => {
    this.open = false;
  };

  static get size() { return 1; }
  async *items() {
    yield 1;
  }
}

Shop.prototype.close = function () {
  return 1;
};
module.exports.helper = function helper(x) {
  return x;
};
exports.limit = LIMIT;

const api = {
  url: '/x',
  get(path) {
    return path;
  },
  post: async (path) => {
    return path;
  },
  nested: {
    remove: function (path) {
      return path;
    },
  },
};

describe('shop', () => {
  it("sells", async () => {
    const x = 1;
  });
});

app.get('/users/:id', auth, (req, res) => {
  res.send(1);
});

const Wrapped = React.memo(function Inner(props) {
  return <div className="x">{props.a}</div>;
});
const useThing = useCallback(() => {
  go();
}, []);
