"""The pages of the old reports: hello, 12 bytes, and form, a search form."""

from string import Template

PAGE = Template("""\
<!DOCTYPE html>
<html>
<head><title>$title</title></head>
<body>
<h1>$title</h1>
<form action="$action" method="get">
<p><label for="words">Words</label> <input id="words" name="words" value="$words"></p>
<p><label for="where">Where</label> <select id="where" name="where">$places</select></p>
<p><input type="submit" value="Search"></p>
</form>
</body>
</html>
""")
PLACES = ("everywhere", "titles", "texts", "comments")


def reply(start_response, kind, page):
    start_response("200 OK", [("Content-Type", kind), ("Content-Length", str(len(page)))])
    return [page]


def hello(environ, start_response):
    return reply(start_response, "text/plain", b"Hello world\n")


def form(environ, start_response):
    """Filled in anew for each request, as a template's page is."""
    places = "".join(f"<option>{place}</option>" for place in PLACES)
    page = PAGE.substitute(title="Search", action="/search", words="", places=places)
    return reply(start_response, "text/html; charset=utf-8", page.encode())
