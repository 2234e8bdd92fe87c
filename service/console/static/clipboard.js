// Copy buttons beside code: added by script, since without one they could do nothing.

export function copyButtons(root) {
  for (const block of root.querySelectorAll(".code-block")) {
    if (block.querySelector("button")) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button button--small";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(block.querySelector("code").textContent);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    block.append(button);
  }
}
