<?php
// The dynamic page: the 19 dearest of 40 items, by a query for each request. 824 bytes.
$db = new SQLite3(__DIR__ . '/items.sqlite', SQLITE3_OPEN_READONLY);
$found = $db->query('SELECT name, price FROM item ORDER BY price DESC, number LIMIT 19');
echo "<!DOCTYPE html>\n<html>\n<head><title>Items sold</title></head>\n<body>\n<table>\n";
while ($row = $found->fetchArray(SQLITE3_NUM)) {
    printf("<tr><td>%s</td><td>%d</td></tr>\n", $row[0], $row[1]);
}
echo "</table>\n</body>\n</html>\n";
