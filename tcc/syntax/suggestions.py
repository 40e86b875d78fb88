"""Which of the known words somebody may have meant."""

from collections.abc import Iterable


def distance(left: str, right: str, most: int) -> int:
    """Return how many single-letter edits or swaps lead from `left` to `right`.

    The optimal string alignment distance; anything above `most` comes back as `most + 1`.
    """
    if abs(len(left) - len(right)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, start=1):
        before, last, row = row, before, [i]
        for j, b in enumerate(right, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if last and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]


def did_you_mean(word: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate nearest to `word`, or None when none is near.

    Case, and `_` for `-`, count for nothing; one edit in three letters is near.
    """
    if len(word) > 64:  # nobody meant that
        return None

    def plain(text: str) -> str:
        return text.lower().replace("_", "-")

    asked = plain(word)
    best, least = None, max(1, len(asked) // 3) + 1
    for candidate in candidates:
        away = distance(asked, plain(candidate), least - 1)
        if away < least and away < len(candidate):
            best, least = candidate, away
    return best
