"""Opening hours of a shop."""

import datetime
import logging
import os

logger = logging.getLogger(__name__)

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri")


class Hours:
    """When a shop is open."""

    def __init__(self, opens, closes):
        self.opens = opens
        self.closes = closes

    def is_open(self, moment):
        """Whether the shop is open at that moment."""
        return self.opens <= moment.time() < self.closes

    def remaining(self, moment):
        # minutes until the doors close
        if not self.is_open(moment):
            return 0
        closing = datetime.datetime.combine(moment.date(), self.closes)
        return (closing - moment).seconds // 60


class Holiday:
    """A day on which nothing is open."""

    def __init__(self, day):
        self.day = day

    def is_open(self, moment):
        """Whether the shop is open at that moment."""
        return moment.date() != self.day


def load(path):
    logger.info("loading %s", path)
    with open(path) as handle:
        return [parse(line) for line in handle]


def parse(line):
    opens, closes = line.split("-")
    return Hours(time_of(opens), time_of(closes))


def time_of(text):
    return datetime.time.fromisoformat(text.strip())
