"""One static page from the results that the other evals write: tables, plots, the machine, the commands to rerun.

    page     what a page is made of, as data, and as HTML
    plots    charts as SVG text
    readers  which results there are, and what of each is shown
    write    pages from files of results

Run `python -m evals.report --help`.
"""

from evals.report.write import write_page

__all__ = ["write_page"]
