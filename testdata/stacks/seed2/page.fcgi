#!/usr/bin/perl
# The page as a FastCGI program, which answers requests until it is ended.
use strict;
use warnings;
use FCGI;

my $request = FCGI::Request();
while ($request->Accept() >= 0) {
    my $lines = "1234567890\n" x 100;
    print "Content-Type: text/html\r\n\r\n";
    print "<html><body>\n<h1>Hello Worlds</h1>\n<pre>\n$lines\n</pre>\n</body></html>\n";
}
