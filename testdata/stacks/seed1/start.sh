# start.sh apache|lighttpd: a web server with PHP behind it, 79 ms away.
#
# The relay is not the server's: it is the parent of the others, so that a tree which
# starts at the web server or at PHP is without it.
. ./stack.sh

# php_fpm CONFIGURATION runs PHP until this shell is told to end. PHP leaves the process
# group (setsid(2)), so that what ends the group must be handed on to it.
php_fpm() {
	for fpm in /usr/sbin/php-fpm*; do :; done # its name has PHP's version
	trap 'kill $! && wait $!; exit' TERM
	"$fpm" --nodaemonize --fpm-config "$1" &
	wait $!
}

relay=../../bin/relay
test -x $relay || { echo "$relay is not there: make seeds builds it" >&2; exit 1; }

mkdir "$scratch/www"
cp seed1/page.php "$scratch/www" # where www-data may read it
php seed1/make.php "$scratch/www/items.sqlite"
head -c 14781 /dev/zero | tr '\0' 'x' >"$scratch/www/image.gif"
php_fpm "$(fill seed1/php-fpm.conf)" &

case $1 in
apache) (run_apache seed1/apache.conf) & port=18110; behind=18111 ;;
lighttpd) (run_lighttpd seed1/lighttpd.conf) & port=18120; behind=18121 ;;
*) echo "no stack $1" >&2; exit 2 ;;
esac
await "$scratch/php.pid" "$scratch/front.pid"
exec $relay -delay 79ms 127.0.0.1:$port 127.0.0.1:$behind
