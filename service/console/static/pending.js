// Refreshes pending items: fetches the page again and replaces only its live part.
import { byId } from "./dom.js";

const PAUSE = 2000;
const MOST_LOOKS = 60;

watch(MOST_LOOKS);

function watch(left) {
  if (left && byId("live").querySelector("[data-pending]")) setTimeout(() => look(left - 1), PAUSE);
}

async function look(left) {
  const live = byId("live");
  // A part that has the focus is not replaced: the focus would be lost.
  if (!document.hidden && !live.contains(document.activeElement)) {
    const answer = await fetch(location.href, { credentials: "same-origin" });
    const fresh = answer.ok ? new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live") : null;
    if (fresh) live.replaceChildren(...document.adoptNode(fresh).childNodes);
  }
  watch(left);
}
