// What every page does: add copy buttons, and show the notice of the previous page.
import { copyButtons } from "./clipboard.js";
import { showLeft } from "./notice.js";

copyButtons(document);
showLeft();
