/**
 * A client of a FastEdit service, for programs:
 *
 *     const applied = await new FastEdit({ url: "http://127.0.0.1:8377" }).apply(original, edit, { path: "app.py" });
 *     applied.text
 *
 * What can't be applied throws Refusal, with the service's code. A service that is busy or not there yet is asked again, a
 * little later each time.
 */

export { DEFAULT_URL, FastEdit, type Options, type Waiting } from "./fastedit.js";
export { applyEdit, Cancelled, filesOf, isAlive, sha256Of, type Service, type Watching } from "./requests.js";
export { BAD_ANSWER, CONTENT_CONFLICT, EDIT_EMPTY, OTHER_FILES, Refusal, UNREACHABLE } from "./wire.js";
export type * from "./wire.js";
