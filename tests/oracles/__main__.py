"""python -m tests.oracles [RELEASES [SEED [CONTEST...]]]: run the contests and print their results."""

import sys
import time

from tests.oracles.contests import CONTESTS, JOINT, compete


def main(arguments: list[str]) -> int:
    releases, seed = (int(word) for word in (*arguments[:2], *("3000", "0")[len(arguments[:2]) :]))
    lost = 0
    for name in arguments[2:] or [*CONTESTS, *JOINT]:
        began = time.perf_counter()
        outcome = compete(name, releases, seed)
        seconds = time.perf_counter() - began
        print(
            f"{name}: {outcome.releases} releases, {outcome.accepted} accepted, {outcome.broken} broken ones refused, "
            f"{seconds:.1f} s {outcome.disagreement}"
        )
        lost += bool(outcome.disagreement)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
