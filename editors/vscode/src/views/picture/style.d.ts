/** The bundler writes imported style sheets beside the script. */
declare module "*.css";
