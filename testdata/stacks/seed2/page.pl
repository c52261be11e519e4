#!/usr/bin/perl
# The page as a CGI program, which PerlRun and Registry run as well.
use strict;
use warnings;

my $lines = "1234567890\n" x 100;
print "Content-Type: text/html\r\n\r\n";
print "<html><body>\n<h1>Hello Worlds</h1>\n<pre>\n$lines\n</pre>\n</body></html>\n";
