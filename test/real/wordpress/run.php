<?php
// Runs a piece of PHP inside WordPress and prints what it returns, as JSON.
error_reporting(E_ERROR);
$_SERVER['HTTP_HOST'] = parse_url(getenv('WORDPRESS_URL'), PHP_URL_HOST);
if ($argv[2] === 'install') define('WP_INSTALLING', true);
require $argv[1] . '/wp-load.php';
if ($argv[2] === 'install') {
    require ABSPATH . 'wp-admin/includes/upgrade.php';
    wp_install('Test Site', 'ada', 'ada@people.example', true, '', 'ada-password');
    update_option('permalink_structure', '/%postname%/');
    update_option('timezone_string', 'America/New_York');
    exit;
}
$input = json_decode(stream_get_contents(STDIN), true);
echo json_encode(eval($argv[2]));
