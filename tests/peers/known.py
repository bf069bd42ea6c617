"""The differences that are known and not ours to change: known.tsv."""
import csv
import fnmatch
import pathlib


class Known:
    """The rows of a section. One that nothing uses is out of date."""

    def __init__(self, section):
        with open(pathlib.Path(__file__).with_suffix(".tsv"), encoding="utf-8") as file:
            lines = (line for line in file if not line.startswith("#"))
            self.rows = [row for row in csv.DictReader(lines, delimiter="\t")
                         if row["section"] == section]
        self.used = set()

    def number(self, peer, case):
        """The number of the row about a case that failed, from 1, or None."""
        for number, row in enumerate(self.rows, 1):
            if fnmatch.fnmatchcase(case, row["case"]) and fnmatch.fnmatchcase(peer, row["peer"]):
                self.used.add(number)
                return number
        return None

    def show(self):
        """Print the reasons. Returns what is out of date."""
        for number, row in enumerate(self.rows, 1):
            print(f"({number}) {row['peer']}, {row['case']}: {row['why']}")
        print()
        return [f"known.tsv: {row['peer']}, {row['case']}: passes now"
                for number, row in enumerate(self.rows, 1) if number not in self.used]
