"""axe-core, the checker of accessibility, let loose on a page in the browser."""

from tests.process.chromium import Page
from tests.process.npm_file import fetched

GRAVE = {"serious", "critical"}


async def faults(page: Page) -> list[str]:
    """Rules that the page breaks gravely, with the elements that do; it also has to have found some
    that the page keeps."""
    script = fetched(
        "axe-core",
        "4.14.1",
        "package/axe.min.js",
        "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c",
    )
    await page.value(script.read_text() + "; 0")
    told = await page.value(
        "axe.run().then(found => ({kept: found.passes.length, broken: found.violations.map(one =>"
        " [one.impact, one.id + ': ' + one.nodes.map(node => node.html).join(' | ')])}))"
    )
    assert told["kept"] > 10
    return [text for impact, text in told["broken"] if impact in GRAVE]


async def faults_in_every_dress(page: Page) -> list[str]:
    """The same in both languages, and in light and dark colours."""
    found = []
    for language in ("en", "ko"):
        for colours in ("light", "dark"):
            await dress(page, language, colours)
            found += [f"{language}, {colours}: {one}" for one in await faults(page)]
    await dress(page, "en", "light")
    return found


async def dress(page: Page, language: str, colours: str) -> None:
    """Chooses a language on the page, and colours in the browser."""
    media = [{"name": "prefers-color-scheme", "value": colours}]
    await page.command("Emulation.setEmulatedMedia", features=media)
    await page.value(
        f"(select => {{ select.value = {language!r}; select.dispatchEvent(new Event('change')); }})"
        "(document.getElementById('language'))"
    )
