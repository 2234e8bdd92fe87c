// What every page does: copy buttons, and what was done on the page before.
import { copyButtons } from "./clipboard.js";
import { showLeft } from "./notice.js";

copyButtons(document);
showLeft();
