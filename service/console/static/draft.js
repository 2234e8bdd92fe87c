// The policy draft, with all its versions: every change is a new one, so everything can be undone.
// Kept only for this tab; it contains names of columns and settings, and no value of the file.

export class Draft {
  #versions;
  #at;
  #key;
  #changed;

  constructor(datasetId, policy, changed) {
    this.#key = `antifaz-draft-${datasetId}`;
    this.#changed = changed;
    const kept = JSON.parse(sessionStorage.getItem(this.#key) ?? "null");
    this.#versions = kept?.versions ?? [policy];
    this.#at = kept?.at ?? 0;
    if (policy && JSON.stringify(policy) !== JSON.stringify(this.policy) && kept?.start !== JSON.stringify(policy)) {
      this.#versions = [...this.#versions.slice(0, this.#at + 1), policy];
      this.#at = this.#versions.length - 1;
    }
    this.#keep(JSON.stringify(policy));
  }

  get policy() { return this.#versions[this.#at]; }
  get canUndo() { return this.#at > 0; }
  get canRedo() { return this.#at < this.#versions.length - 1; }

  change(edit) {
    const next = structuredClone(this.policy);
    edit(next);
    if (JSON.stringify(next) === JSON.stringify(this.policy)) return;
    this.#versions = [...this.#versions.slice(0, this.#at + 1), next].slice(-100);
    this.#at = this.#versions.length - 1;
    this.#changedHere();
  }

  undo() { if (this.canUndo) { this.#at -= 1; this.#changedHere(); } }
  redo() { if (this.canRedo) { this.#at += 1; this.#changedHere(); } }

  #changedHere() {
    this.#keep(JSON.parse(sessionStorage.getItem(this.#key) ?? "{}").start);
    this.#changed();
  }

  #keep(start) {
    sessionStorage.setItem(this.#key, JSON.stringify({ versions: this.#versions, at: this.#at, start }));
  }
}
