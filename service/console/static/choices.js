// The cost of each k according to the advice: risk and loss side by side, and a button to use one.
import { make } from "./dom.js";

const percent = (share) => `${+(100 * share).toPrecision(3)} %`;

export function choicesTable(choices, use) {
  const head = make("tr", {}, ...["k", "Risk", "Loss"].map((name) => make("th", { scope: "col", class: "number" }, name)), make("td"));
  const rows = choices.map(({ k, risk, loss }) => make("tr", {},
    make("th", { scope: "row", class: "number" }, String(k)),
    make("td", { class: "number" }, percent(risk)),
    make("td", { class: "number" }, percent(loss)),
    make("td", {}, make("button", { type: "button", class: "button button--small", "aria-label": `Use k = ${k}`, onclick: () => use(k) }, "Use"))));
  return make("table", { class: "table--plain table--compact" }, make("thead", {}, head), make("tbody", {}, ...rows));
}
