<?php
// make.php FILE: the database of page.php, 40 rows.
$db = new SQLite3($argv[1]);
$db->exec('CREATE TABLE item (number INTEGER PRIMARY KEY, name TEXT, price INTEGER)');
$db->exec('BEGIN');
for ($i = 1; $i <= 40; $i++) {
    $db->exec(sprintf("INSERT INTO item VALUES (%d, 'item %02d', %d)", $i, $i, 100 + 7 * $i % 50));
}
$db->exec('COMMIT');
