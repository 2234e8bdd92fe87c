// Small functions to create elements. Text is never parsed as HTML.

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && name !== "list" && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export const byId = (id) => document.getElementById(id);

// Moves the focus to new content, so that keyboard users continue from there.
export function focusOn(element) {
  element.tabIndex = -1;
  element.focus();
}

export function words(name) {
  return name.replaceAll("_", " ");
}

export function later(milliseconds, action) {
  let waiting;
  return () => { clearTimeout(waiting); waiting = setTimeout(action, milliseconds); };
}
