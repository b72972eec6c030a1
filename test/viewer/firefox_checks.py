"""firefox_checks.py PROFILE LINK - the pages of logs in Firefox, used with pointer and keys by the checks that Chromium
passes, too, at 1 and 2 device pixels per pixel; and the page of `pith serve` at LINK. Prints TAP. test_page_firefox.sh
makes the logs and pages of the current folder, and starts the server."""
import sys

import page_checks
import viewer_page_checks
from firefox import Firefox
from page_tap import has, ok, plan, same
from serve_page_checks import check_list, check_same
from viewer_page_checks import Viewer


def check_choice(browser):
    viewer = Viewer(browser, "page.html")
    has(viewer.page.text("#drop"), "Drop a log here", "the page without a log asks for one")
    viewer.page.choose("run.pith")
    viewer.until("log !== null")
    viewer.rest()
    same(viewer.page.ask("document.title"), "run.pith \u2013 Pith", "a log that is chosen opens")
    viewer.page.close()


def check_large(browser):
    """A quick picture while the view moves, and messages that are made of many."""
    viewer = Viewer(browser, "page.html")
    viewer.drop("large.pith")
    viewer.page.key("w")
    viewer.until("canvas.dataset.shown.endsWith('quick')")
    viewer.rest()
    ok(viewer.page.ask("canvas.dataset.shown").endswith("exact"), "a large log: quick while it moves, then exact")
    viewer.page.close()


def main(profile, link):
    with Firefox(f"{profile}1") as browser:
        check_choice(browser)
        viewer = Viewer(browser, "page.html")
        for check in ("card", "moves", "legend", "answer", "findings", "search"):
            getattr(viewer_page_checks, f"check_{check}")(viewer)
        viewer.page.close()
        viewer_page_checks.check_hostile(browser)
        check_large(browser)
        page_checks.check_plain(browser, 1)
        page_checks.check_legend(browser)
        page_checks.check_link(browser)
        check_list(browser, link)
        check_same(browser, link, "run.pith", "run.html")
        same(browser.errors, [], "no errors in the scripts")
    with Firefox(f"{profile}2", scale=2, dark=True) as browser:
        viewer_page_checks.check_scale(browser)
        same(browser.errors, [], "none at 2 pixels either")
    plan()


main(sys.argv[1], sys.argv[2])
