// Runs test files with Node's own test runner: `run.mjs NAME FILE...`. The last line is `NAME=passed/all`.
import { run } from "node:test";
import { spec } from "node:test/reporters";

const [name, ...files] = process.argv.slice(2);
const counts = { passed: 0, all: 0 };

const tests = run({ files, concurrency: 1 });
const count = (isPassed) => (test) => {
  const isFile = files.some((file) => test.name.endsWith(file));
  if (!isFile && test.details.type !== "suite" && test.skip === undefined) {
    counts.all += 1;
    counts.passed += isPassed ? 1 : 0;
  }
};
tests.on("test:pass", count(true)).on("test:fail", count(false));
tests.on("end", () => {
  process.exitCode = counts.all > 0 && counts.passed === counts.all ? 0 : 1;
});
tests.compose(new spec()).pipe(process.stdout);
process.on("exit", () => console.log(`${name}=${counts.passed}/${counts.all}`));
