// Makes fastedit.vsix, with the project's license in it.
import { copyFileSync } from "node:fs";

import { createVSIX } from "@vscode/vsce";

copyFileSync("../../LICENSE", "LICENSE");
await createVSIX({ packagePath: "fastedit.vsix", dependencies: false, rewriteRelativeLinks: false });
