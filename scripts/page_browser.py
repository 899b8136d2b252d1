"""What the scripts share that look at the page of jarvis-bridge in Debian's chromium."""
import time
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By


def browser(width=1280, height=900, *more):
    chrome = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", f"--window-size={width},{height}", *more):
        chrome.add_argument(argument)
    chrome.binary_location = "/usr/bin/chromium"
    chrome.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=chrome, service=Service("/usr/bin/chromedriver"))
    driver.set_script_timeout(60)
    return driver


def wait(what, holds, seconds=12):
    """Waits until `holds()` is true; `what` says what the user then sees."""
    end = time.monotonic() + seconds
    while True:
        try:
            if result := holds():
                return result
        except StaleElementReferenceException:
            pass
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.1)


class Page:
    def __init__(self, driver, base, token):
        self.driver, self.base, self.token = driver, base, token

    def enter(self, base=None):
        self.driver.get("about:blank")  # a change of the fragment alone would not load the page anew
        self.driver.get(f"{base or self.base}/#{self.token}")
        wait("the page is live", lambda: self.text("#pill-text") == "Live")

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.one(selector).text

    def click(self, selector):
        self.show(self.one(selector)).click()

    def show(self, element):
        self.script("arguments[0].scrollIntoView({block: 'center'})", element)
        return element

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def state(self):
        return self.script("return document.body.dataset.state")

    def submit(self, form, text, button):
        box = self.show(self.one(f"{form} input"))
        box.clear()
        box.send_keys(text)
        self.one(f"{form} {button}").click()

    def refused(self, card):
        """Waits for an error next to the control, and gives it."""
        return wait(f"an error in {card}", lambda: [r.text for r in self.all(f"{card} .reply.failed") if r.text])[0]

    def timers(self):
        return [item.text for item in self.all("#timer-list li")]

    def cancel(self, name):
        for item in self.all("#timer-list li"):
            if name in item.text:
                self.show(item.find_element(By.CSS_SELECTOR, "button")).click()
        wait(f"the timer {name} is gone", lambda: not any(name in line for line in self.timers()))

    def look(self, width, height, is_dark=False, is_calm=False):
        """Shows the page in this size, by day or by night, with or without motion."""
        features = [("prefers-color-scheme", "dark" if is_dark else "light"),
                    ("prefers-reduced-motion", "reduce" if is_calm else "no-preference")]
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": name, "value": value} for name, value in features]})
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
        time.sleep(0.9)  # until the colours have changed
