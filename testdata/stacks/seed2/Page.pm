package Page;

# The page as a handler of Apache's own, by mod_perl.
use strict;
use warnings;
use Apache2::RequestRec ();
use Apache2::RequestIO ();
use Apache2::Const -compile => 'OK';

sub handler {
    my $r = shift;
    my $lines = "1234567890\n" x 100;
    $r->content_type('text/html');
    $r->print("<html><body>\n<h1>Hello Worlds</h1>\n<pre>\n$lines\n</pre>\n</body></html>\n");
    return Apache2::Const::OK;
}

1;
