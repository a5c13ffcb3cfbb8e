<?php
/**
 * The one template of the site's theme.
 */

?><!DOCTYPE html>
<html <?php language_attributes(); ?>>
<head><meta charset="utf-8"><title><?php wp_title(); ?></title><?php wp_head(); ?></head>
<body>
<?php
while (have_posts()) {
    the_post();
    echo '<h1>' . esc_html(get_the_title()) . '</h1>';
    the_content();
}
wp_footer();
?>
</body>
</html>
