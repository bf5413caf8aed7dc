/** All that a person does in one window with a service that answers. */

import { describe } from "node:test";

import { APPLY_FILES, applyCases } from "./apply.cases";
import { inWindow } from "./fixture";
import { REFUSAL_FILES, refusalCases } from "./refusal.cases";
import { WORKSPACE_FILES, workspaceCases } from "./workspace.cases";

describe("an edit", { timeout: 300_000 }, () => {
  const it = inWindow({ files: { ...APPLY_FILES, ...REFUSAL_FILES, ...WORKSPACE_FILES } });
  applyCases(it);
  refusalCases(it);
  workspaceCases(it);
});
