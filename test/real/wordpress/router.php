<?php
// For PHP's own web server: files as they are, everything else by WordPress.
$root = $_SERVER['DOCUMENT_ROOT'];
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if ($path !== '/' && is_file($root . $path)) return false;
$folder = rtrim($root . $path, '/');
if ($path !== '/' && is_file($folder . '/index.php')) {
    require $folder . '/index.php';
    return true;
}
$_SERVER['SCRIPT_NAME'] = '/index.php';
require $root . '/index.php';
