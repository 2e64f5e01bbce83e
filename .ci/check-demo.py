#!/usr/bin/env python3
"""Reads what `liaison demo --once` printed, and exits 1 unless the need was fulfilled.

The landlord of the demo answers "Please arrange it for me.", so the one line of
JSON must say fulfilled, give the choice `agency`, and quote the landlord's words.
"""

import json
import sys

REPLY = "Please arrange it for me."


def values_under(key, node):
    """Every value that stands under this key, at any depth."""
    if isinstance(node, dict):
        for name, value in node.items():
            if name == key:
                yield value
            yield from values_under(key, value)
    elif isinstance(node, list):
        for value in node:
            yield from values_under(key, value)


def main():
    lines = sys.stdin.read().splitlines()
    if len(lines) != 1:
        sys.exit(f"demo: expected one line on standard output, got {len(lines)}: {lines}")
    try:
        outcome = json.loads(lines[0])
    except ValueError as error:
        sys.exit(f"demo: the line is not JSON ({error}): {lines[0]}")
    if not isinstance(outcome, dict) or outcome.get("outcome") != "fulfilled":
        sys.exit(f'demo: "outcome" is not "fulfilled": {lines[0]}')
    # A choice may be printed bare or with its kind; either way it is this string.
    answers = [json.dumps(value) for value in values_under("arranged_by", outcome)]
    if not any('"agency"' in answer for answer in answers):
        sys.exit(f'demo: "arranged_by" is not "agency": {lines[0]}')
    quotes = [value for value in values_under("quote", outcome) if isinstance(value, str)]
    if not any(len(quote) > 5 and quote in REPLY for quote in quotes):
        sys.exit(f"demo: no quote of the landlord's words: {lines[0]}")
    print(f"demo: {lines[0]}")


if __name__ == "__main__":
    main()
