// What every page does: copy buttons, and times in the reader's own zone.
import { copyButtons } from "./clipboard.js";

copyButtons(document);
