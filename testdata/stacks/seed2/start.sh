# start.sh direct|proxied: the page in every way that Apache has to run Perl, a path
# each, by a prefork Apache, with a second one in front of it or not.
. ./stack.sh

mkdir "$scratch/www"
cp seed2/page.pl seed2/page.fcgi seed2/Page.pm "$scratch/www" # where www-data may read them
chmod 755 "$scratch/www/page.pl" "$scratch/www/page.fcgi"

case $1 in
direct) RATEBENCH_PORT=18201; export RATEBENCH_PORT; run_apache seed2/back.conf ;;
proxied)
	RATEBENCH_PORT=18212; export RATEBENCH_PORT
	(run_apache seed2/back.conf) &
	await "$scratch/back.pid"
	run_apache seed2/front.conf ;;
*) echo "no stack $1" >&2; exit 2 ;;
esac
