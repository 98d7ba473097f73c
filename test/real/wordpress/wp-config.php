<?php
define('DB_NAME', 'wordpress');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', getenv('WORDPRESS_DATABASE'));
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
// Allows application passwords and redirects without https.
define('WP_ENVIRONMENT_TYPE', 'local');
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
define('WP_SITEURL', getenv('WORDPRESS_URL'));
define('WP_HOME', getenv('WORDPRESS_URL'));
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $name) {
    define($name . '_KEY', str_repeat($name, 8));
    define($name . '_SALT', str_repeat($name . 's', 8));
}
$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
